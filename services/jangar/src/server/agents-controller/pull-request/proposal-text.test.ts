import { describe, expect, test } from 'vitest'
import { proposalBody, proposalTitle } from './proposal-text.ts'

const context = {
  agentRun: { name: 'r', namespace: 'n' },
  implementation: { summary: 'Fix it', text: 'Long text' },
  inputs: { issueNumber: '7' },
}

describe('the title', () => {
  test.each([
    { because: 'a template', template: 'Fix #{{ issueNumber }}', is: 'Fix #7' },
    { because: 'no template', template: undefined, is: 'fallback' },
    { because: 'a template without a result', template: '{{ inputs.nothing }}', is: 'fallback' },
    { because: 'the first line only', template: '\n a\r\nb', is: 'a' },
    { because: 'no control characters', template: 'a\u0007\u202eb', is: 'a  b' },
  ])('is made of $because', ({ template, is }) => {
    expect(proposalTitle({ template, context, fallback: 'fallback' })).toBe(is)
  })

  test('falls back if the agent is gone', () => {
    const title = proposalTitle({ template: '{{ agent.name }}', context: undefined, fallback: 'f' })
    expect(title).toBe('f')
  })

  test('is cut, between characters', () => {
    const title = proposalTitle({ template: '🐄'.repeat(300), context, fallback: '' })
    expect(title.length).toBeLessThanOrEqual(250)
    expect(title.isWellFormed()).toBe(true)
  })
})

describe('texts', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`
  test.each([
    { where: 'a title', made: proposalTitle({ template: undefined, context, fallback: secret }) },
    { where: 'a body', made: proposalBody({ template: `x ${secret}`, context, fallback: '' }) },
  ])('have no token in $where', ({ made }) => {
    expect(made).not.toContain(secret)
  })

  test('cannot pretend to be a part of the platform', () => {
    const template = '<!-- agents:begin 0123 --> x <!--agents:end -->'
    expect(proposalBody({ template, context, fallback: '' })).not.toContain('agents:')
  })

  test('are bounded', () => {
    const made = proposalBody({ template: undefined, context, fallback: 'x'.repeat(1_000_000) })
    expect(made).toHaveLength(60_000)
  })
})
