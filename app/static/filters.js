element.addEventListener("change", () => {
  const chosen = {};
  for (const select of element.querySelectorAll("select")) {
    chosen[select.name] = select.value;
    select.classList.toggle("set", select.selectedIndex > 0);
  }
  props.value = chosen;
});
