import { expect, test } from 'vitest'
import { serverProblems, syntaxProblems } from './problems.ts'

const text = `apiVersion: agents.proompteng.ai/v1alpha1
kind: AgentRun
spec:
  agentRef:
    name: writer
  runtime:
    type: jub
  steps:
    - name: one
    - name: two
      retries: -1
`

test.each([
  {
    because: 'one field',
    message:
      'AgentRun.agents.proompteng.ai "x" is invalid: spec.runtime.type: Unsupported value: "jub": supported values: "job", "workflow"',
    problems: [
      {
        line: 7,
        message: 'spec.runtime.type: Unsupported value: "jub": supported values: "job", "workflow"',
      },
    ],
  },
  {
    because: 'several fields, one of which is missing',
    message:
      'AgentRun.agents.proompteng.ai "x" is invalid: [spec.agentRef.uid: Required value, spec.steps[1].retries: Invalid value: -1: must be 0 or more]',
    problems: [
      { line: 4, message: 'spec.agentRef.uid: Required value' },
      { line: 11, message: 'spec.steps[1].retries: Invalid value: -1: must be 0 or more' },
    ],
  },
  {
    because: 'an unknown field',
    message: 'strict decoding error: unknown field "spec.runtime.typ"',
    problems: [{ line: 6, message: 'unknown field "spec.runtime.typ"' }],
  },
  {
    because: 'no field',
    message: 'operator may not create agentruns',
    problems: [{ message: 'operator may not create agentruns' }],
  },
])('serverProblems finds the line: $because', ({ message, problems }) => {
  expect(serverProblems(text, message)).toEqual(problems)
})

test('syntaxProblems names the line', () => {
  expect(syntaxProblems('a: 1\nb: [\n')).toMatchObject([{ line: 3 }])
  expect(syntaxProblems('a: 1\n')).toEqual([])
})
