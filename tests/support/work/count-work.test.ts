import { describe, expect, test } from 'vitest'
import { countWork, growth, mostGrowth } from './count-work.ts'

const sizes = { length: 200, parts: 8 }

describe('growth', () => {
  test.each([
    { because: 'one pattern', work: (text: string) => text.replaceAll(/b+/g, '') },
    { because: 'one search', work: (text: string) => text.indexOf('b') },
    { because: 'a search from where the last one ended', work: (text: string) => text.split('b') },
  ])('is 1 for linear work: $because', async ({ work }) => {
    expect(await growth(work, (length) => 'a'.repeat(length), sizes)).toBeCloseTo(1, 1)
  })

  test.each([
    { because: 'a repetition from every start', work: (text: string) => /a+b/.test(text) },
    { because: 'two repetitions of the same', work: (text: string) => /^a*a*b/.test(text) },
    {
      because: 'a search of the whole for each character',
      work: (text: string) => {
        for (let at = 0; at < text.length; at += 1) text.includes('b', at)
      },
    },
    {
      because: 'a pattern that is applied to the rest, again and again',
      work: (text: string) => {
        for (let rest = text; rest !== ''; rest = rest.slice(1)) rest.match(/b/)
      },
    },
  ])('is the most for quadratic work: $because', async ({ work }) => {
    expect(await growth(work, (length) => 'a'.repeat(length), sizes)).toBe(mostGrowth)
  })

  test('refuses work that is not counted', async () => {
    await expect(growth(JSON.stringify, () => 'a', sizes)).rejects.toThrow('something else')
  })
})

test('work is the same at each count, and ends with it', async () => {
  const work = () => 'ab'.repeat(50).replaceAll(/a(?=b)|b/gi, (found) => found.toUpperCase())
  const first = await countWork(work)
  work()
  expect(first).toBeGreaterThan(200)
  expect(await countWork(work)).toBe(first)
  expect(String.prototype.indexOf.toString()).toContain('native code')
  expect(RegExp.prototype.exec.toString()).toContain('native code')
})

test('an exponential pattern costs that much', async () => {
  const text = `${'a'.repeat(12)}!`
  const steps = await countWork(() => /^(?:a+)+$/.test(text))
  expect(steps).toBeGreaterThan(2 ** 12)
})

/** The counter throws if it finds anything else than JavaScript does. */
test.each([
  { because: 'alternatives and captures', pattern: /(a|ab)(c|bcd)(d*)/, text: 'xabcdd' },
  { because: 'lookbehind and lookahead', pattern: /(?<=\$)\d{2,}?(?!\.)/, text: '$12.345 $123' },
  { because: 'lookbehind of several', pattern: /(?<=(\d+)(\d+))$/, text: '1053' },
  { because: 'references', pattern: /(?<quote>['"])\w+\k<quote>|(\w)\1/, text: `"a' 'b'` },
  { because: 'unicode', pattern: /^\p{L}+.$/u, text: 'xé𝒳𝒳' },
  { because: 'classes with brackets', pattern: /[\]\\a-c]+$/, text: 'x]\\ab' },
  { because: 'lines', pattern: /^b$/m, text: 'a\nb\nc' },
  { because: 'empty repetitions', pattern: /(a?)*?(?:b|)*c/, text: 'aabbc' },
  { because: 'words', pattern: /\bb\B./i, text: 'ab BC' },
  { because: 'bounds', pattern: /(?:ab){2,3}a{0,2}$/, text: 'abababababaa' },
])('matches as JavaScript does: $because', async ({ pattern, text }) => {
  let found: RegExpExecArray | null = null
  await countWork(() => {
    found = pattern.exec(text)
  })
  expect(found).not.toBeNull()
})
