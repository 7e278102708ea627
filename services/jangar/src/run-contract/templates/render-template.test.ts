import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkTemplate } from './check-template.ts'
import { longestRendered, renderTemplate } from './render-template.ts'

const context = {
  agentRun: { name: 'demo', namespace: 'agents' },
  implementation: { text: 'Say {{ parameters.stage }}', labels: ['a', 'b'], summary: '' },
  parameters: { stage: 'plan', 'with-dash': 'x' },
  inputs: {},
  memory: null,
  vcs: { writeEnabled: true, depth: 3, id: 9007199254740993n, tags: { n: 9007199254740993n } },
}

describe('filling in', () => {
  test.each([
    { because: 'text as it is', template: 'run {{ agentRun.name }}!', text: 'run demo!' },
    { because: 'an empty text is a value', template: '<{{ implementation.summary }}>', text: '<>' },
    {
      because: 'what a value brings along is not a template',
      template: '{{ implementation.text }}',
      text: 'Say {{ parameters.stage }}',
    },
    { because: 'an object as JSON', template: '{{ inputs }}', text: '{}' },
    { because: 'a list as JSON', template: '{{ implementation.labels }}', text: '["a","b"]' },
    { because: 'an entry of a list', template: '{{ implementation.labels.1 }}', text: 'b' },
    { because: 'null as JSON', template: '{{ memory }}', text: 'null' },
    {
      because: 'numbers and booleans',
      template: '{{ vcs.writeEnabled }}{{ vcs.depth }}',
      text: 'true3',
    },
    {
      because: 'integers beyond 2^53, bare and inside an object',
      template: '{{ vcs.id }} {{ vcs.tags }}',
      text: '9007199254740993 {"n":9007199254740993}',
    },
  ])('$because', ({ template, text }) => {
    expect(renderTemplate(template, context)).toEqual({ ok: true, text })
  })

  test.each([
    { path: 'parameters.stge', expectedMessage: 'parameters has stage, with-dash' },
    { path: 'parameters.__proto__', expectedMessage: 'parameters has' },
    { path: '__proto__', expectedMessage: 'available: agentRun' },
    { path: 'parameters.constructor.name', expectedMessage: 'parameters has' },
    { path: 'parameters.toString', expectedMessage: 'parameters has' },
    { path: 'agentRun.name.length', expectedMessage: 'agentRun.name has no members' },
    { path: 'implementation.labels.length', expectedMessage: '2 entries' },
    { path: 'implementation.labels.2', expectedMessage: '2 entries' },
    { path: 'implementation.labels.-1', expectedMessage: '2 entries' },
    { path: 'memory.type', expectedMessage: 'memory has no members' },
    { path: 'inputs.x', expectedMessage: 'inputs is empty' },
    { path: 'agent.config', expectedMessage: 'available: agentRun' },
  ])('an unknown path is an error that names it: $path', ({ path, expectedMessage }) => {
    const rendered = renderTemplate(`a {{ ${path} }}`, context)
    expect(rendered).toEqual({
      ok: false,
      problems: [
        {
          code: 'UnknownPath',
          offset: 2,
          message: expect.stringMatching(
            new RegExp(`^${path} does not exist .*${expectedMessage}`),
          ),
        },
      ],
    })
  })

  test('all problems are reported, in the order of the template', () => {
    const rendered = renderTemplate('{{ a }}{{ }}{{ b }}{{ ', context)
    expect(rendered.ok ? [] : rendered.problems.map(({ code }) => code)).toEqual([
      'UnknownPath',
      'NotAPath',
      'UnknownPath',
      'Unclosed',
    ])
  })

  test('a result beyond all measure is refused before it is built', () => {
    const big = { implementation: { text: 'x'.repeat(longestRendered / 4) } }
    const rendered = renderTemplate('{{ implementation.text }}'.repeat(1000), big)
    expect(rendered).toMatchObject({ ok: false, problems: [{ code: 'TooLarge' }] })
  })

  test('a context that holds a member called __proto__ gives it out', () => {
    const odd = JSON.parse('{"parameters": {"__proto__": "own"}}') as { parameters: unknown }
    expect(renderTemplate('{{ parameters.__proto__ }}', odd)).toEqual({ ok: true, text: 'own' })
  })
})

describe('whatever the values are', () => {
  const key = fc.stringMatching(/^[A-Za-z_][\w-]{0,8}$/)

  test('text between expressions and values come out unchanged', () => {
    const plain = fc.string().map((value) => value.replaceAll('{', ''))
    fc.assert(
      fc.property(plain, key, fc.string(), plain, (before, name, value, after) => {
        const parameters = Object.fromEntries([[name, value]])
        expect(renderTemplate(`${before}{{ parameters.${name} }}${after}`, { parameters })).toEqual(
          { ok: true, text: `${before}${value}${after}` },
        )
      }),
    )
  })

  test('an object is rendered as equal JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(typeof value !== 'string')
        const rendered = renderTemplate('{{ inputs }}', { inputs: value })
        expect(rendered.ok && JSON.parse(rendered.text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('rendering never throws, and never yields less than an answer', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', 'a', '.', ' ', '"') }),
        (template) => {
          const rendered = renderTemplate(template, { inputs: 'a' })
          expect(rendered.ok || rendered.problems.length > 0).toBe(true)
        },
      ),
    )
  })
})

describe('looking at a template alone', () => {
  test.each([
    { template: '{{ parameters.anything }}', codes: [], because: 'a run may bring it along' },
    { template: '{{ workflow.name }}', codes: ['UnknownPath'], because: 'there is no such root' },
    { template: '{{ parameters', codes: ['Unclosed'], because: 'it cannot be read' },
  ])('$template: $because', ({ template, codes }) => {
    expect(checkTemplate(template).map(({ code }) => code)).toEqual(codes)
  })
})
