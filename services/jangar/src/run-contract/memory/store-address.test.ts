import { describe, expect, test } from 'vitest'
import { readStoreAddress } from './store-address.ts'

function read(text: string) {
  return readStoreAddress(text, { postgres: 5432 })
}

describe('the address of a store', () => {
  test.each([
    {
      because: 'all parts are given, some of them percent-encoded',
      text: ' postgres://me:p%40ss@db.example:6000/my%20db?sslmode=require\n',
      expected: { host: 'db.example', port: 6000, user: 'me', password: 'p@ss', path: 'my db' },
    },
    {
      because: 'omitted parts have defaults',
      text: 'postgres://127.0.0.1',
      expected: { host: '127.0.0.1', port: 5432, user: '', password: '', path: '' },
    },
    {
      because: 'brackets are not part of an IPv6 address',
      text: 'postgres://[::1]:1/x',
      expected: { host: '::1', port: 1 },
    },
  ])('$because', ({ text, expected }) => {
    expect(read(text)).toMatchObject(expected)
  })

  test.each([
    { because: 'an unsupported scheme', text: 'mysql://db' },
    { because: 'a scheme with the name of an inherited property', text: 'constructor://db' },
    { because: 'no host', text: 'postgres:///db' },
    { because: 'a local socket', text: 'postgres://%2Fvar%2Frun/db' },
    { because: 'invalid percent-encoding', text: 'postgres://u:%E0%A4%A@db' },
    { because: 'a list of key-value pairs', text: 'host=db user=me' },
    { because: 'an empty string', text: '' },
  ])('is invalid: $because', ({ text }) => {
    expect(read(text)).toBeUndefined()
  })
})
