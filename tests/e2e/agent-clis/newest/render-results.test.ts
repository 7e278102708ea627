import { expect, test } from 'vitest'
import { renderResults } from './render-results.ts'

test('each case of each CLI has a row, and a failure its cause', () => {
  const result = (cli: string, title: string, status: string, failureMessages: string[] = []) => ({
    ancestorTitles: [cli],
    title,
    status,
    failureMessages,
  })
  const assertionResults = [
    result('codex', 'does its task', 'passed'),
    result('codex', 'is cancelled', 'failed', ['AssertionError: no usage\n  at file.ts']),
    result('aider', 'is cancelled', 'skipped'),
  ]
  const testResults = [{ assertionResults }, { message: 'it did not start', assertionResults: [] }]
  expect(renderResults({ testResults }, new Map([['codex', '1.2.3']]))).toBe(
    [
      'CLI    VERSION  CASE           RESULT',
      'codex  1.2.3    does its task  passed',
      'codex  1.2.3    is cancelled   failed: AssertionError: no usage',
      'it did not start',
      '',
    ].join('\n'),
  )
})

test('a table without cases says so', () => {
  expect(renderResults({ testResults: [] }, new Map())).toBe(
    'CLI  VERSION  CASE  RESULT\nNo case was run.\n',
  )
})
