"""The classes of the fixtures as small Python models, one file a folder, in the order of `MODELS`."""
