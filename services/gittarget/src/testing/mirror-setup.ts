import type { MirrorSettings } from '../mirror/mirror-settings.ts'
import type { Mirrors } from '../mirror/mirrors.ts'

export const configMapType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}

/** Settings of a mirror that selects all ConfigMaps of the namespace `team`, unless they are overridden. */
export function mirrorSettings(given: Partial<MirrorSettings> = {}): MirrorSettings {
  return {
    selections: [
      {
        rule: 'team/rule',
        type: configMapType,
        namespace: 'team',
        operations: new Set(['CREATE', 'UPDATE', 'DELETE']),
        includesStatus: false,
        covers: () => true,
        selects: () => true,
      },
    ],
    rules: new Map(),
    missing: [],
    encryption: undefined,
    prune: { mode: 'OnEvent', maxDeleteFraction: 0.5 },
    confirmed: undefined,
    ignoresFields: false,
    onDrift: 'Correct',
    driftCheckMs: 0,
    suspend: false,
    messageTemplate: undefined,
    attributesChanges: false,
    commitWindowMs: 0,
    maxWindowMs: 0,
    revision: '1',
    ...given,
  }
}

export function mirrorLocation(folder = 'cluster'): Parameters<Mirrors['ensure']>[1] {
  return {
    uid: 'target-uid',
    folder,
    writer: {
      provider: 'team/repository',
      connection: { url: 'https://git.example.test/team', credentials: { kind: 'none' } },
      branch: 'main',
      committer: { name: 'mirror', email: 'mirror@example.test' },
      signingKey: undefined,
    },
  }
}
