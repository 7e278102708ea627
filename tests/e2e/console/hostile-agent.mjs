#!/usr/bin/env node
// An agent whose output attacks whoever looks at it.
const esc = '\u001b'
const lines = [
  'first line',
  '<script>window.attacked = 1</script><img src=x onerror="window.attacked=2">',
  `${esc}]0;attacked${'\u0007'}${esc}]8;;javascript:alert(1)${esc}\\click${esc}]8;;${esc}\\ after osc`,
  `${esc}[2J${esc}[H${esc}[31mred text${esc}[0m plain`,
  'bidi \u202egnp.exe end',
  `long ${'x'.repeat(1024 * 1024)} end of long`,
  ...Array.from({ length: 100_000 }, (_, index) => `numbered line ${index + 1}`),
  // Each would take long to lay out.
  ...Array.from({ length: 30 }, () => `${esc}[31mred${esc}[32mgreen`.repeat(500)),
  ...Array.from({ length: 30 }, () => '\u202e\u0001'.repeat(2000)),
  ...Array.from({ length: 30 }, () => 'e\u0301\u0302\u0303\u0304'.repeat(800)),
  `${esc}[31m`.repeat(200_000),
  'last line',
]
process.stdout.write(`${lines.join('\n')}\n`)
