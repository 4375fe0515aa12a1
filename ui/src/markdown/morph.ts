// Makes one tree of nodes like another by changing as little as can be, so that what is selected, focused or
// scrolled stays so while text arrives.

export function morph(into: Node, from: Node): void {
  const olds = [...into.childNodes];
  const news = [...from.childNodes];
  news.forEach((next, index) => {
    const old = olds[index];
    if (!old) into.appendChild(next);
    else if (old.nodeName !== next.nodeName) into.replaceChild(next, old);
    else if (old instanceof Text && next instanceof Text) retext(old, next.data);
    else {
      if (old instanceof Element && next instanceof Element) attributes(old, next);
      morph(old, next);
    }
  });
  for (const extra of olds.slice(news.length)) extra.remove();
}

function retext(old: Text, data: string): void {
  if (old.data === data) return;
  if (data.startsWith(old.data)) old.appendData(data.slice(old.data.length));
  else old.data = data;
}

function attributes(old: Element, next: Element): void {
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of [...next.attributes])
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
}
