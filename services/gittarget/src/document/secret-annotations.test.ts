import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { sanitize } from './sanitize.ts'

const password = 'correct horse'
const data = { password: Buffer.from(password).toString('base64') }
const copy = JSON.stringify({ kind: 'Secret', data })

function annotationsOf(annotations: Record<string, string>, kind = 'Secret') {
  const object = { apiVersion: 'v1', kind, metadata: { name: 'x', annotations }, data }
  const { metadata } = sanitize(object) as { metadata: { annotations?: Record<string, string> } }
  return metadata.annotations
}

test.each([
  ['kapp.k14s.io/original', copy],
  ['banzaicloud.com/last-applied', gzipSync(copy).toString('base64')],
  ['objectset.rio.cattle.io/applied', gzipSync(copy).toString('base64url')],
  ['example.dev/pretty', `\n  ${JSON.stringify(JSON.parse(copy), null, 2)}`],
  ['example.dev/list', JSON.stringify([copy])],
  ['example.dev/encoded', `was: ${data.password}`],
  ['example.dev/note', `the password is ${password}.`],
])('%s of a Secret is not mirrored', (name, text) => {
  expect(annotationsOf({ [name]: text })).toBeUndefined()
  expect(annotationsOf({ [name]: text, kept: 'yes' })).toEqual({ kept: 'yes' })
})

test('other annotations of a Secret are, and all of other kinds', () => {
  const harmless = {
    'cert-manager.io/alt-names': 'a.example.dev,b.example.dev',
    'example.dev/sha512': 'ab'.repeat(64),
    'example.dev/owner': 'the payments team, see https://example.dev/teams?id=payments',
    'example.dev/empty': '',
    'meta.helm.sh/release-name': 'shop',
  }
  expect(annotationsOf(harmless)).toEqual(harmless)
  expect(annotationsOf({ 'kapp.k14s.io/original': copy }, 'ConfigMap')).toEqual({
    'kapp.k14s.io/original': copy,
  })
})

test('a value that is a word is left in other texts', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'x', annotations: { owner: 'the admin of the shop' } },
    data: { user: Buffer.from('admin').toString('base64'), empty: '' },
  }
  expect(sanitize(object)).toMatchObject({ metadata: object.metadata })
})
