package org.example;

/** As `gate.tq` declares it. */
public enum Light { Red, Green }
