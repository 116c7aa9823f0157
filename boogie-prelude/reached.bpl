{#- The end: reached exactly when the answer is yes. #}
  assert {:reached} false;
}
