import type { KubeObject } from '@agents/kube'
import { expect, test } from 'vitest'
import { createStyle } from '../cli/style.ts'
import { renderText } from '../cli/terminal-text.ts'
import { renderDescription } from './render-description.ts'

test('a hostile condition cannot rewrite the terminal or add rows', () => {
  const message = 'denied\u001b[1A\u001b[2KReady\u009b0m\u202e\n  Ready   True   OK   1s   fine'
  const condition = { type: 'Ready', status: 'False', reason: 'No', message }
  const object = {
    apiVersion: 'agents.proompteng.ai/v1alpha1',
    kind: 'Agent',
    metadata: { name: 'a', namespace: 'team', labels: { '\u001b[8m': 'hidden' } },
    spec: { text: '\u001b]0;title\u0007' },
    status: { conditions: [condition], note: '\u202e' },
  } as unknown as KubeObject
  const description = { object, children: [], events: [] }
  const rendered = renderText(renderDescription(description, createStyle(true), new Date(0)))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const ours = /\u001b\[(?:0|1|2|31|32|33)m/g
  expect(rendered.replace(ours, '')).not.toMatch(/[\p{Cc}\u202e](?<![\n\t])/u)
  expect(rendered).toMatch(
    /Ready {3}False {2}.*denied\^\[\[1A\^\[\[2KReady<U\+009B>0m<U\+202E> Ready {3}True/,
  )
  expect(rendered.split('\n').filter((line) => line.trimStart().startsWith('Ready'))).toHaveLength(
    1,
  )
})
