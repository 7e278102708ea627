import { kinds, unreconciledKinds } from '@agents/jangar-api'
import { describe, expect, test } from 'vitest'
import { readManifests } from '../../support/kinds/manifests.ts'
import { contractSubjects } from './reconcilers.ts'

const unreconciled = unreconciledKinds.map(({ kind }) => kind)

describe('kinds that no controller reconciles', () => {
  test('are those without a reconciler', () => {
    const reconciled = new Set(contractSubjects.map(({ kind }) => kind.kind))
    const without = kinds.map(({ kind }) => kind).filter((kind) => !reconciled.has(kind))
    expect(unreconciled.toSorted()).toEqual(without.toSorted())
  })

  test('do not keep the application of the Argo CD overlay from becoming healthy', () => {
    const objects = readManifests('argocd/applications/agents/*.yaml').map(({ object }) => object)
    const shipped = objects.filter(({ kind }) => unreconciled.includes(String(kind)))
    expect(objects.length).toBeGreaterThan(0)
    expect(shipped).toEqual([])
  })
})
