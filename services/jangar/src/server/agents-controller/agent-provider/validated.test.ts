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
      because: 'all roots may be named',
      spec: {
        binary: '/bin/sh',
        argsTemplate: ['{{ parameters.stage }}', '{{ vcs.repository }}'],
        envTemplate: { A: '{{ agentRun.name }}' },
        inputFiles: [{ path: '/a', content: '{{ implementation.text }}' }],
      },
      expected: /^pass Valid/,
    },
    { because: 'there is no program', spec: { binary: ' ' }, expected: /^stall MissingBinary/ },
    {
      because: 'an argument is no template',
      spec: { binary: 'x', argsTemplate: ['a', '{{ oops'] },
      expected: /^stall InvalidTemplate: spec\.argsTemplate\[1\]/,
    },
    {
      because: 'a variable speaks of what there never is',
      spec: { binary: 'x', envTemplate: { A: '{{ run.name }}' } },
      expected: /^stall InvalidTemplate: spec\.envTemplate\.A.*run\.name/,
    },
    {
      because: 'a file has a mistake in it',
      spec: { binary: 'x', inputFiles: [{ path: '/a', content: '{{ a b }}' }] },
      expected: /^stall InvalidTemplate: spec\.inputFiles\[0\]\.content/,
    },
    {
      because: 'nobody knows where the file goes',
      spec: { binary: 'x', inputFiles: [{ path: 'a', content: '' }] },
      expected: /^stall InvalidInputFile: .* not absolute/,
    },
    {
      because: 'one file would hide the other',
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
