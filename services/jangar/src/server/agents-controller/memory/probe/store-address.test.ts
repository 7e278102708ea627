import { describe, expect, test } from 'vitest'
import { readStoreAddress } from './store-address.ts'

const read = (text: string) => readStoreAddress(text, { postgres: 5432 })

describe('the address of a store', () => {
  test.each([
    {
      because: 'everything is given, some of it in disguise',
      text: ' postgres://me:p%40ss@db.example:6000/my%20db?sslmode=require\n',
      expected: { host: 'db.example', port: 6000, user: 'me', password: 'p@ss', path: 'my db' },
    },
    {
      because: 'what is left out has its usual value',
      text: 'postgres://127.0.0.1',
      expected: { host: '127.0.0.1', port: 5432, user: '', password: '', path: '' },
    },
    {
      because: 'brackets are no part of an address',
      text: 'postgres://[::1]:1/x',
      expected: { host: '::1', port: 1 },
    },
  ])('$because', ({ text, expected }) => {
    expect(read(text)).toMatchObject(expected)
  })

  test.each([
    { because: 'another scheme', text: 'mysql://db' },
    { because: 'a scheme that every object knows', text: 'constructor://db' },
    { because: 'no host', text: 'postgres:///db' },
    { because: 'a socket of our own machine', text: 'postgres://%2Fvar%2Frun/db' },
    { because: 'broken disguise', text: 'postgres://u:%E0%A4%A@db' },
    { because: 'words', text: 'host=db user=me' },
    { because: 'nothing', text: '' },
  ])('is none: $because', ({ text }) => {
    expect(read(text)).toBeUndefined()
  })
})
