package org.example;

/** `shelf.tq`, by hand. */
public class Item {
    final long weight;
    final Kind kind;

    public Item(long weight, Kind kind) {
        this.weight = weight;
        this.kind = kind;
    }
}
