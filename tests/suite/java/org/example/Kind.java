package org.example;

/** `shelf.tq`, by hand. */
public enum Kind {
    Plain,
    Fragile,
}
