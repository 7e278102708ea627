import type { AgentProvider } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { validated } from './validated.ts'

const context = { now: new Date(0), signal: new AbortController().signal }

async function check(spec: AgentProvider['spec']): Promise<string> {
  const provider = { metadata: { name: 'p' }, spec } as AgentProvider
  const { kind, reason, message } = await validated.check(provider, {}, context)
  return `${kind} ${reason}: ${message}`
}

describe('the spec of a provider', () => {
  test.each([
    {
      because: 'templates may use all roots',
      spec: {
        binary: '/bin/sh',
        argsTemplate: ['{{ parameters.stage }}', '{{ vcs.repository }}'],
        envTemplate: { A: '{{ agentRun.name }}' },
        inputFiles: [{ path: '/a', content: '{{ implementation.text }}' }],
      },
      expected: /^pass Valid/,
    },
    { because: 'the program is missing', spec: { binary: ' ' }, expected: /^stall MissingBinary/ },
    {
      because: 'the template of an argument is invalid',
      spec: { binary: 'x', argsTemplate: ['a', '{{ oops'] },
      expected: /^stall InvalidTemplate: spec\.argsTemplate\[1\]/,
    },
    {
      because: 'the template of a variable uses an unknown root',
      spec: { binary: 'x', envTemplate: { A: '{{ run.name }}' } },
      expected: /^stall InvalidTemplate: spec\.envTemplate\.A.*run\.name/,
    },
    {
      because: 'the template of a file is invalid',
      spec: { binary: 'x', inputFiles: [{ path: '/a', content: '{{ a b }}' }] },
      expected: /^stall InvalidTemplate: spec\.inputFiles\[0\]\.content/,
    },
    {
      because: 'the path of a file is not absolute',
      spec: { binary: 'x', inputFiles: [{ path: 'a', content: '' }] },
      expected: /^stall InvalidInputFile: .* not absolute/,
    },
    {
      because: 'two files have the same path',
      spec: {
        binary: 'x',
        inputFiles: [
          { path: '/a', content: '' },
          { path: '/a', content: '' },
        ],
      },
      expected: /^stall InvalidInputFile: spec\.inputFiles\[1\].* twice/,
    },
  ])('$because', async ({ spec, expected }) => {
    expect(await check(spec)).toMatch(expected)
  })
})
