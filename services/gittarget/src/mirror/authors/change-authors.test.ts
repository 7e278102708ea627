import { describe, expect, test } from 'vitest'
import { ChangeAuthors, type ObjectChange } from './change-authors.ts'

function change(effect: ObjectChange['effect'], resourceVersion: string): ObjectChange {
  return {
    object: { group: '', resource: 'configmaps', namespace: 'team', name: 'a' },
    effect,
    write: { manager: 'kubectl', time: '2026-01-02T03:04:05Z', subresources: [''] },
    resourceVersion,
    previousVersion: undefined,
    seenMs: 0,
  }
}

const users: Readonly<Record<string, string>> = { 1: 'developer', 2: 'maintainer', 3: 'deputy' }

async function authorOf(...changes: ObjectChange[]) {
  const authors = new ChangeAuthors(({ resourceVersion = '' }) => users[resourceVersion])
  for (const one of changes) authors.note('key', one)
  let found: ReturnType<ChangeAuthors['of']> | undefined
  await authors.attempt(
    async () => {
      found = authors.of(['key'])
      return false
    },
    () => false,
  )
  return { author: found?.author?.name, coAuthors: found?.coAuthors.map(({ name }) => name) }
}

describe('the author of a change', () => {
  test('is the user of the request if it is known, otherwise the field manager', async () => {
    expect(await authorOf(change('update', '1'))).toEqual({ author: 'developer', coAuthors: [] })
    expect((await authorOf(change('update', '9'))).author).toBe('kubectl (field manager)')
  })

  test('of a deletion is who deleted the object, not who removed its finalizers', async () => {
    const changes = [change('update', '1'), change('delete', '2'), change('delete', '3')]
    expect(await authorOf(...changes)).toEqual({ author: 'maintainer', coAuthors: ['developer'] })
  })

  test('of an object that was created again is its creator', async () => {
    const changes = [change('delete', '1'), change('create', '2')]
    expect((await authorOf(...changes)).author).toBe('maintainer')
  })
})
