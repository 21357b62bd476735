"""Options of the commands, which are parsed before the library is imported."""
