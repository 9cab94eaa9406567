"""How good a fix is: the evidence of its harvest, its rank among others, the outcomes of telling it."""
