import type { GitTarget } from '@agents/gittarget-api'
import { describe, expect, test } from 'vitest'
import { createStyle } from '../cli/style.ts'
import { renderTarget } from './render-target.ts'

function target(push: object, suspend = false): GitTarget {
  return {
    metadata: { namespace: 'team', name: 'mirror' },
    spec: { providerRef: { name: 'repository' }, branch: 'main', path: 'cluster', suspend },
    status: { phase: 'SYNCING', conditions: [], push },
  } as unknown as GitTarget
}

function rendered(one: GitTarget): string {
  return renderTarget(one, createStyle(false), new Date('2026-01-01T00:01:00Z'))
}

describe('renderTarget', () => {
  test.each<[object, string, string]>([
    [{ pendingChanges: 0 }, 'nothing pushed yet', 'there is no commit'],
    [{ pendingChanges: 1 }, '1 change to be pushed', 'the singular is used'],
    [{ pendingChanges: 2 }, '2 changes to be pushed', 'the plural is used'],
    [{ lastError: 'a hook says no' }, 'last error: a hook says no', 'it failed'],
    [
      { lastCommit: 'c1', lastPushTime: '2026-01-01T00:00:00Z' },
      'commit c1, pushed 60s ago',
      'that was a minute ago',
    ],
  ])('%j is %j, because %s', (push, line) => {
    expect(rendered(target(push)).split('\n')).toContain(`  ${line}`)
  })

  test('shows that it is suspended, and no pending changes if there are none', () => {
    const text = rendered(target({ pendingChanges: 0 }, true))
    expect(text).toContain('suspended')
    expect(text).not.toContain('to be pushed')
  })
})
