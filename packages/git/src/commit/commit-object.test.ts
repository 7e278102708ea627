import { expect, test } from 'vitest'
import { commitObject } from './commit-object.ts'

const plain = { name: 'mirror', email: 'mirror@example.test' }
async function commit(change: Partial<Parameters<typeof commitObject>[0]>): Promise<string> {
  const options = {
    tree: 'a'.repeat(40),
    parent: undefined,
    author: plain,
    committer: plain,
    message: 'm',
    time: new Date(1_700_000_000_999),
  }
  return (await commitObject({ ...options, ...change })).toString('utf8')
}

test('a commit has the lines that Git expects', async () => {
  expect(await commit({ parent: 'b'.repeat(40), message: 'subject\r\n\r\nbody\n\n' })).toBe(
    `tree ${'a'.repeat(40)}\nparent ${'b'.repeat(40)}\nauthor mirror <mirror@example.test> 1700000000 +0000\n` +
      'committer mirror <mirror@example.test> 1700000000 +0000\n\nsubject\n\nbody\n',
  )
})

test.each([
  {
    because: 'a line break would begin another header',
    author: { name: 'x\ncommitter y', email: 'a@b' },
    line: 'author x committer y <a@b>',
  },
  {
    because: 'an angle bracket would end the name',
    author: { name: 'x <evil@x>', email: 'a@b>' },
    line: 'author x  evil@x <a@b>',
  },
  {
    because: 'nobody has an empty name',
    author: { name: ' ', email: '' },
    line: 'author unknown <>',
  },
])('$because', async ({ author, line }) => {
  expect((await commit({ author })).split('\n')[1]).toBe(`${line} 1700000000 +0000`)
})

test('an empty message gets words, because some servers refuse a commit without', async () => {
  expect(await commit({ message: '\0 \n' })).toMatch(/\n\nUpdate\n$/)
})

test('a signature covers the commit without it, and is indented as a header', async () => {
  let signed = ''
  const text = await commit({
    sign: (payload) => {
      signed = payload.toString()
      return Promise.resolve('BEGIN\nline\nEND\n')
    },
  })
  expect(signed).toBe(await commit({}))
  expect(text).toContain('+0000\ngpgsig BEGIN\n line\n END\n\nm\n')
})

test('a name of a mebibyte of commas is read once', async () => {
  // Read again from each of them, it takes hours.
  const name = `a${','.repeat(2 ** 20)}b`
  expect(await commit({ author: { name, email: 'a@b' } })).toContain(`author ${name} <a@b>`)
})
