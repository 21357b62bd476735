"""How often tests are wrong where their null hypothesis holds, and intervals, too."""
