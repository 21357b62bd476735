"""Ways to resample items and responses, in words."""

ITEMS = {"all": "all items", "bootstrap": "bootstrapped items"}
RESPONSES = {
    "all": "all responses",
    "bootstrap": "bootstrapped responses",
    "one": "one response",
    "first": "the first response",
    "without_replacement": "all responses in random order",
}
