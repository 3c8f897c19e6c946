// A small project and a session of two turns in it, for people who look at Turnstone for the first time.
import type { Scenario } from '../agents/scenario.ts';
import { edit, read, say, write } from '../agents/scriptedSteps.ts';

const page = `<!doctype html>
<title>Ferry times</title>
<h1>Ferry times</h1>
<table id="times"></table>
<script src="times.js"></script>
`;

const times = `const times = ['08:10', '09:40', '11:10'];

function show(rows) {
  document.querySelector('#times').textContent = rows.join(', ');
}

show(times);
`;

const search = `export function matching(times, text) {
  return times.filter(time => time.startsWith(text.trim()));
}
`;

const before = {
  'index.html': page,
  'times.js': times,
  'styles.css': 'body {\n  font-family: sans-serif;\n}\n',
  'README.md': '# Ferry times\n\nOpen index.html.\n',
};

const afterFirst = times.replace("'11:10'", "'11:10', '12:40'").replace("rows.join(', ')", "rows.join(' · ')");
const pageAfter = page.replace('<table id="times"></table>', '<input id="search" placeholder="Search">\n<table id="times"></table>');

export const sampleSession: Scenario = {
  name: 'a sample session',
  before,
  prompts: [
    { text: 'Add the 12:40 ferry and separate the times by dots', exact: { 'times.js': 'modified' } },
    { text: 'Add a search field', exact: { 'index.html': 'modified', 'src/search.js': 'added', 'styles.css': 'modified' } },
  ],
  script: {
    turns: [
      [read('times.js')],
      [edit('times.js', "'11:10'", "'11:10', '12:40'")],
      [edit('times.js', "rows.join(', ')", "rows.join(' · ')")],
      [say('Added the 12:40 ferry; the times are separated by dots now.')],
      [read('index.html')],
      [edit('index.html', '<table id="times"></table>', '<input id="search" placeholder="Search">\n<table id="times"></table>')],
      [write('src/search.js', search), write('styles.css', `${before['styles.css']}\n#search {\n  width: 12em;\n}\n`)],
      [say('There is a search field above the times now.')],
    ],
  },
  after: {
    ...before,
    'times.js': afterFirst,
    'index.html': pageAfter,
    'src/search.js': search,
    'styles.css': `${before['styles.css']}\n#search {\n  width: 12em;\n}\n`,
  },
};
