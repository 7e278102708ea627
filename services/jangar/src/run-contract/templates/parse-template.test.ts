import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseTemplate } from './parse-template.ts'

function path(...segments: string[]) {
  return expect.objectContaining({ kind: 'path', path: segments })
}
function text(value: string) {
  return { kind: 'text', text: value }
}

describe('a template', () => {
  test.each([
    { because: 'no expression is plain text', template: 'a b', parts: [text('a b')] },
    { because: 'nothing has no parts', template: '', parts: [] },
    {
      because: 'white space inside the braces does not matter',
      template: '{{a.b}}{{\n\ta.b  }}',
      parts: [path('a', 'b'), path('a', 'b')],
    },
    {
      because: 'JSON around expressions stays',
      template: '{"a":{{ x }}}',
      parts: [text('{"a":'), path('x'), text('}')],
    },
    {
      because: 'closing braces alone, backslashes and dollars are text',
      template: '}} \\ $HOME $(x) {x}',
      parts: [text('}} \\ $HOME $(x) {x}')],
    },
    {
      because: 'quoted text is itself',
      template: `{{ "{{" }}x{{'}}'}}`,
      parts: [text('{{'), text('x'), text('}}')],
    },
    {
      because: 'dashes and digits may stand in a segment',
      template: '{{ parameters.my-key_2 }}',
      parts: [path('parameters', 'my-key_2')],
    },
  ])('$because', ({ template, parts }) => {
    expect(parseTemplate(template)).toEqual({ parts, problems: [] })
  })

  test.each([
    { because: 'never closed', template: 'ab{{ x', code: 'Unclosed', offset: 2 },
    { because: 'empty', template: '{{ }}', code: 'NotAPath', offset: 0 },
    { because: 'an empty segment', template: '{{ a..b }}', code: 'NotAPath', offset: 0 },
    { because: 'three braces', template: '{{{ a }}}', code: 'NotAPath', offset: 0 },
    { because: 'a function', template: '{{ upper(a) }}', code: 'NotAPath', offset: 0 },
    { because: 'a pipe', template: '{{ a | trim }}', code: 'NotAPath', offset: 0 },
    { because: 'an unclosed quote', template: '{{ "a }}', code: 'NotAPath', offset: 0 },
    { because: 'letters beyond ASCII', template: '{{ ä }}', code: 'NotAPath', offset: 0 },
  ])('that cannot be read says so: $because', ({ template, code, offset }) => {
    expect(parseTemplate(template).problems).toEqual([expect.objectContaining({ code, offset })])
  })

  test('reports every problem', () => {
    expect(parseTemplate('{{ }} {{ a b }} {{').problems.map(({ offset }) => offset)).toEqual([
      0, 6, 16,
    ])
  })

  test('without two opening braces is always plain text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (value) => {
        const plain = value.replaceAll('{{', '{')
        fc.pre(!plain.includes('{{'))
        expect(parseTemplate(plain)).toEqual({
          parts: plain === '' ? [] : [text(plain)],
          problems: [],
        })
      }),
    )
  })

  test.each([
    { because: 'opening braces alone', unit: '{{' },
    { because: 'quotes that never close', unit: '{{ "' },
    { because: 'white space after an opening', unit: '{{ \t ' },
    { because: 'dots', unit: '{{ a.' },
  ])('of a megabyte is read at once: $because', ({ unit }) => {
    const { problems } = parseTemplate(unit.repeat(1_000_000 / unit.length))
    expect(problems).not.toEqual([])
  })
})
