import { describe, expect, test } from 'vitest'
import { coAuthorTrailers, managerAuthor, userAuthor } from './author.ts'

describe('the author of a change by a field manager', () => {
  test('is marked as one, with an address that nobody can own', () => {
    expect(managerAuthor('kubectl-edit')).toEqual({
      name: 'kubectl-edit (field manager)',
      email: 'kubectl-edit@manager.agents.invalid',
    })
  })

  test.each([
    ['author@example.org', 'author%40example.org@manager.agents.invalid'],
    ['a> <author@example.org', 'a%3E%20%3Cauthor%40example.org@manager.agents.invalid'],
    ['a\nauthor Else <else@example.org> 0 +0000', /@manager\.agents\.invalid$/],
    ['.hidden', '%2Ehidden@manager.agents.invalid'],
    ['\u202emoc.live@a', /@manager\.agents\.invalid$/],
    ['x'.repeat(1000), /^.{64}@manager\.agents\.invalid$/],
  ])('cannot be made another identity by the name %j', (manager, email) => {
    const author = managerAuthor(manager)
    expect(author?.email).toMatch(email)
    expect(author?.name).toMatch(/^[^\p{C}<>\n]{1,120} \(field manager\)$/u)
  })

  test.each(['', '\n', '<>', '\u200b'])('is not known for the name %j', (manager) => {
    expect(managerAuthor(manager)).toBeUndefined()
  })

  test('differs for different names that look alike', () => {
    const addresses = ['a b', 'a  b', 'a\u00a0b', 'a%20b', 'A b'].map(
      (name) => managerAuthor(name)?.email,
    )
    expect(new Set(addresses).size).toBe(5)
  })
})

describe('the author of a change by a user', () => {
  test.each([
    ['developer', 'developer@user.agents.invalid'],
    ['developer@example.test', 'developer@example.test'],
    ['system:serviceaccount:team:bot', 'system%3Aserviceaccount%3Ateam%3Abot@user.agents.invalid'],
    ['developer@example.test>', 'developer%40example.test%3E@user.agents.invalid'],
    ['developer@example', 'developer%40example@user.agents.invalid'],
  ])('%s has the address %s', (user, email) => {
    expect(userAuthor(user)?.email).toBe(email)
  })
})

test('a name cannot add a trailer of its own', () => {
  const author = userAuthor('stranger\nCo-authored-by: Else <else@example.org>')
  const text = coAuthorTrailers(author ? [author] : [])
  expect(text.split('\n')).toHaveLength(1)
  expect(text).toMatch(
    /^Co-authored-by: stranger Co-authored-by: Else else@example\.org <[^<> ]+>$/,
  )
})
