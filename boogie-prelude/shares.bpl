{#- Shares of an amount, `amount * part div whole`, where their products are left out. #}
// A share of an amount. What is known of each is said where it is used.
function share.of(amount: int, part: int, whole: int): int;
