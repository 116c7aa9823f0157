package org.example;

/** As `gate.tq` declares it. */
public class TooNarrow extends Exception {}
