{#- Shares of an amount, `amount * part div whole`, where their products are left out. #}
// A share of an amount: what is linear of each is said where it is used. What is reached with it is run, and where the class does
// something else, the question is asked again with the product.
function share.of(amount: int, part: int, whole: int): int;
