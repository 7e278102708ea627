import { expect, test } from 'vitest'
import { duration } from './duration.ts'
import { renderConfigMarkdown } from './render-config-markdown.ts'
import { flag, oneOf, text } from './scalars.ts'
import { list } from './structured.ts'

test('a section for each process, a row for each setting', () => {
  const markdown = renderConfigMarkdown({
    Controllers: {
      mode: oneOf('MODE', ['skip'], { doc: 'One|two.', fallback: 'skip', chart: 'env.vars.MODE' }),
      group: { waitMs: duration('WAIT', { doc: 'How long.', fallback: 60_000 }) },
    },
    'Control plane': {
      url: text('DATABASE_URL', { doc: 'Where <the> data is.', secret: true }),
      on: flag('ON', { doc: 'Whether.', optional: true }),
      names: list('NAMES', { doc: 'Which.', fallback: [] }),
    },
  })
  expect(markdown).toBe(
    [
      '## Controllers',
      '',
      '| Variable | Value | Default | Chart value | Meaning |',
      '| --- | --- | --- | --- | --- |',
      '| `MODE` | skip | `skip` | `env.vars.MODE` | One\\|two. |',
      '| `WAIT` | a duration such as 30s, 5m or 1h30m | `1m` |  | How long. |',
      '',
      '## Control plane',
      '',
      '| Variable | Value | Default | Chart value | Meaning |',
      '| --- | --- | --- | --- | --- |',
      '| `DATABASE_URL` | text; secret | **required** |  | Where &lt;the> data is. |',
      '| `ON` | true or false (also 1/0, yes/no, on/off) | not set |  | Whether. |',
      '| `NAMES` | a list: a,b or ["a","b"] | `[]` |  | Which. |',
      '',
    ].join('\n'),
  )
})
