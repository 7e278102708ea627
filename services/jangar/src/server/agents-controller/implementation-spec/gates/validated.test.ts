import type { ImplementationSpec } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { validated } from './validated.ts'

const context = { now: new Date(0), signal: new AbortController().signal }

describe('the spec of an implementation', () => {
  test.each([
    {
      because: 'a text and a complete contract are valid',
      spec: { text: 'x', contract: { requiredKeys: ['a'], mappings: [{ from: 'b', to: 'a' }] } },
      expected: /^pass Valid/,
    },
    { because: 'the text is blank', spec: { text: '\n ' }, expected: /^stall MissingText/ },
    {
      because: 'a required key is blank',
      spec: { text: 'x', contract: { requiredKeys: ['a', ' '] } },
      expected: /^stall InvalidContract: spec\.contract\.requiredKeys\[1\]/,
    },
    {
      because: 'a mapping lacks from or to',
      spec: { text: 'x', contract: { mappings: [{ from: 'a', to: '' }] } },
      expected: /^stall InvalidContract: spec\.contract\.mappings\[0\]/,
    },
  ])('$because', async ({ spec, expected }) => {
    const work = { metadata: { name: 'w' }, spec } as ImplementationSpec
    const { kind, reason, message } = await validated.check(work, {}, context)
    expect(`${kind} ${reason}: ${message}`).toMatch(expected)
  })
})
