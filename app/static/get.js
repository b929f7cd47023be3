// JSON from the server; an error carries the server's own words.
export async function get(path, values = {}) {
  const query = new URLSearchParams(values).toString();
  const response = await fetch(`api/${path}${query ? "?" + query : ""}`, { headers: { Accept: "application/json" } });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.message || body.detail || "The server does not answer.");
  return body;
}

export const byId = (id) => document.getElementById(id);

// An element with its attributes and what it holds: text or elements.
export function make(tag, attributes = {}, ...held) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...held);
  return element;
}
