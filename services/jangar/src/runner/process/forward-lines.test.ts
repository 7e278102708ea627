import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSecretMask } from '../../run-contract/secrets/secret-mask.ts'
import { forwardLines, longestLine } from './forward-lines.ts'

async function pump(chunks: readonly Buffer[], secrets: readonly string[] = []) {
  const writes: string[] = []
  const lines: string[] = []
  await forwardLines(arriving(chunks), {
    mask: createSecretMask(secrets),
    write: async (text) => {
      writes.push(text)
    },
    onLine: (line) => lines.push(line),
  })
  return { writes, lines, text: writes.join('') }
}

async function* arriving(chunks: readonly Buffer[]) {
  yield* chunks
}

function bytes(...texts: readonly string[]) {
  return texts.map((text) => Buffer.from(text))
}

describe('output', () => {
  test('is passed on as soon as a line is whole', async () => {
    const { writes } = await pump(bytes('a', 'b\nc', 'd\ne\n', 'f'))
    expect(writes).toEqual(['ab\n', 'cd\ne\n', 'f\n'])
  })

  test('comes out as it went in, however it was cut, its last line whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('a', '\n', 'é', '😀', '\r\n') }),
        fc.array(fc.nat(40), { maxLength: 6 }),
        async (text, cuts) => {
          const whole = Buffer.from(text)
          const at = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
          const chunks = at.slice(1).map((end, index) => whole.subarray(at[index], end))
          const { text: out, lines } = await pump(chunks)
          expect(out).toBe(text === '' || text.endsWith('\n') ? text : `${text}\n`)
          const expected = text.split(/\r?\n/)
          if (expected.at(-1) === '') expected.pop()
          expect(lines).toEqual(expected)
        },
      ),
    )
  })

  test('hides a secret that arrives in two pieces', async () => {
    const { text } = await pump(bytes('key hun', 'ter2hunter2 end\n'), ['hunter2hunter2'])
    expect(text).toBe('key *** end\n')
  })

  test('of one endless line is passed on in pieces, and hides secrets at the seams', async () => {
    const secret = 'hunter2hunter2'
    const pieces = Array.from(
      { length: 40 },
      (_, i) => `${'x'.repeat(longestLine / 8 + i)}${secret}`,
    )
    const all = pieces.join('')
    const cut = Array.from({ length: Math.ceil(all.length / 65_536) }, (_, i) =>
      Buffer.from(all.slice(i * 65_536, (i + 1) * 65_536)),
    )
    const { text, writes, lines } = await pump([...cut, ...bytes('\nnext\n')], [secret])
    expect(text).toBe(`${all.replaceAll(secret, '***')}\nnext\n`)
    expect(Math.max(...writes.map((each) => each.length))).toBeLessThan(2 * longestLine)
    expect(lines).toEqual(['next'])
  })

  test('of one endless line hides a secret at the seam that begins with another one', async () => {
    const secrets = ['hunter2', 'hunter2-and-the-long-rest-of-it']
    const start = `${'x'.repeat(longestLine)}hunter2`
    const { text } = await pump(bytes(start, '-and-the-long-rest-of-it end\n'), secrets)
    expect(text).toBe(`${'x'.repeat(longestLine)}*** end\n`)
  })

  test('of one very long line that ends with the program is not passed to onLine', async () => {
    const { text, lines } = await pump(bytes('x'.repeat(longestLine + 1), 'y'))
    expect(text).toBe(`${'x'.repeat(longestLine + 1)}y\n`)
    expect(lines).toEqual([])
  })
})
