// Sorts and filters the table of a survey.
'use strict';
(() => {
  const table = document.getElementById('classes');
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...body.rows];
  const filter = document.getElementById('filter');
  const outcome = document.getElementById('outcome');
  const shown = document.getElementById('shown');
  const kinds = [...document.querySelectorAll('[data-kind]')];
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  const value = (row, column) => {
    const cell = row.cells[column];
    const text = (cell.querySelector('b') ?? cell.firstChild)?.textContent.trim() ?? '';
    return heads[column].classList.contains('number') ? (text === '' ? -1 : Number(text)) : text;
  };
  const compare = (a, b) => (typeof a === 'number' ? a - b : a.localeCompare(b, 'en', { numeric: true }));

  heads.forEach((head, column) => {
    head.querySelector('button')?.addEventListener('click', () => {
      const number = head.classList.contains('number');
      // What is counted is first of interest where there is most of it.
      const first = number ? 'descending' : 'ascending';
      const second = number ? 'ascending' : 'descending';
      const next = head.getAttribute('aria-sort') === first ? second : first;
      heads.forEach((other) => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', next);
      const sign = next === 'ascending' ? 1 : -1;
      const keyed = rows.map((row, at) => ({ row, at, key: value(row, column) }));
      keyed.sort((a, b) => sign * compare(a.key, b.key) || a.at - b.at);
      body.append(...keyed.map(({ row }) => row));
    });
  });

  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const pressed = kinds.filter((kind) => kind.getAttribute('aria-pressed') === 'true');
    const wanted = pressed.map((kind) => kind.dataset.kind);
    let count = 0;
    for (const row of rows) {
      const own = row.dataset.kinds.split(' ');
      const fits = words.every((word) => texts.get(row).includes(word)) &&
        (outcome.value === '' || row.dataset.outcome === outcome.value) &&
        (wanted.length === 0 || wanted.some((kind) => own.includes(kind)));
      row.hidden = !fits;
      count += fits ? 1 : 0;
    }
    shown.textContent = count === rows.length ? `${count} rows` : `${count} of ${rows.length} rows`;
  };
  filter.addEventListener('input', show);
  outcome.addEventListener('change', show);
  for (const kind of kinds) {
    kind.addEventListener('click', () => {
      kind.setAttribute('aria-pressed', String(kind.getAttribute('aria-pressed') !== 'true'));
      show();
    });
  }
  table.addEventListener('click', (event) => event.target.closest('.picture')?.classList.toggle('large'));
})();
