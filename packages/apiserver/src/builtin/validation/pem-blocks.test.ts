import { expect, test } from 'vitest'
import { keyPairError } from './key-pair.ts'
import { pemBlocks } from './pem-blocks.ts'

function block(type: string, content: string, end = type): string {
  return `-----BEGIN ${type}-----\n${content}\n-----END ${end}-----\n`
}

test('the blocks of a text, with what is between them left out', () => {
  const text = `first\n${block('A B', 'YQ==')}between\n${block('C', 'Yg==').replaceAll('\n', '\r\n')}`
  expect(pemBlocks(text)).toMatchObject([
    { type: 'A B', content: 'YQ==', whole: block('A B', 'YQ==').trim() },
    { type: 'C', content: 'Yg==\r' },
  ])
})

test.each([
  { text: block('A', 'YQ==', 'B'), types: [], because: 'it ends as another type' },
  { text: 'x-----BEGIN A-----\n\n-----END A-----', types: [], because: 'it begins within a line' },
  { text: `-----BEGIN A-----\n${block('A', '')}`, types: ['A'], because: 'the first never ends' },
])('$because', ({ text, types }) => {
  expect(pemBlocks(text).map(({ type }) => type)).toEqual(types)
})

test('a certificate of a mebibyte in which blocks begin and never end is read once', () => {
  // Read to its end from each beginning, it keeps the server for a minute.
  const certificate = '-----BEGIN CERTIFICATE-----\n'.repeat(2 ** 17)
  expect(keyPairError(certificate, 'k')).toMatch(/failed to find any PEM data/)
})
