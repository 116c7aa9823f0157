package org.example;

/** As `gate.tq` declares it. */
public class Jammed extends Exception {}
