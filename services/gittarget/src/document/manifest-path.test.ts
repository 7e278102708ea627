import { pathProblem } from '@agents/git'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { manifestPath, parseManifestPath } from './manifest-path.ts'

const part = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '.git',
    'git~1',
    'a/b',
    'a:b',
    '%2E',
    '%-',
    'con',
    'kustomization',
    'NUL.txt',
    'Admin',
    'core',
    '_cluster',
    '\u0000',
    '\\',
    'a\nb',
    '\ud800',
    'é',
  ),
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.string({ minLength: 190, maxLength: 400, unit: 'binary-ascii' }),
  fc.stringMatching(/^[a-z0-9.]{200,253}$/),
)
const short = fc.oneof(
  fc.constantFrom('..', 'core', '_cluster', 'a/b', '.x'),
  fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }),
)
const place = fc.record({
  group: fc.oneof(fc.constant(''), short),
  resource: short,
  namespace: fc.oneof(fc.constant(''), short),
  name: part,
})

/** The text with some of its letters in the other case. */
function flipped(text: string, flips: readonly boolean[]): string {
  return [...text]
    .map((letter, index) => {
      if (flips[index % flips.length] !== true) return letter
      return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
    })
    .join('')
}

describe('manifestPath', () => {
  test.each([
    [
      '',
      'configmaps',
      'default',
      'app',
      'default/core/configmaps/app.yaml',
      'most files look like this',
    ],
    ['apps', 'deployments', 'prod', 'api', 'prod/apps/deployments/api.yaml', 'a group is a folder'],
    [
      '',
      'namespaces',
      '',
      'prod',
      '_cluster/core/namespaces/prod.yaml',
      'objects of the cluster have no namespace',
    ],
    [
      'rbac.authorization.k8s.io',
      'clusterroles',
      '',
      'system:node',
      '_cluster/rbac.authorization.k8s.io/clusterroles/system%3Anode.yaml',
      'Windows knows no colon',
    ],
    [
      '',
      'configmaps',
      'default',
      '..',
      'default/core/configmaps/%2E..yaml',
      'nothing leads elsewhere',
    ],
    [
      '',
      'configmaps',
      'default',
      'con',
      'default/core/configmaps/%63on.yaml',
      'Windows keeps such names for itself',
    ],
    [
      '',
      'configmaps',
      'default',
      'kustomization',
      'default/core/configmaps/%6Bustomization.yaml',
      'Flux could build nothing in this folder or above it',
    ],
    [
      'rbac.authorization.k8s.io',
      'roles',
      'default',
      'Admin',
      'default/rbac.authorization.k8s.io/roles/%41dmin.yaml',
      'there may be another one called admin',
    ],
  ])('%s %s %s %s → %s, because %s%s', (group, resource, namespace, name, path) => {
    expect(manifestPath({ group, resource, namespace, name })).toBe(path)
  })

  test('is valid in every repository, and can be parsed', () => {
    fc.assert(
      fc.property(place, (given) => {
        const path = manifestPath(given)
        expect(pathProblem(path)).toBeUndefined()
        expect(parseManifestPath(path)).toEqual(given)
      }),
      { numRuns: 1000 },
    )
  })

  test('differs for different objects, also on a case-insensitive file system', () => {
    const alike = fc
      .tuple(place, fc.array(fc.boolean(), { minLength: 1 }))
      .map(([given, flips]) => ({ given, other: { ...given, name: flipped(given.name, flips) } }))
    fc.assert(
      fc.property(alike, ({ given, other }) => {
        const [one, two] = [manifestPath(given), manifestPath(other)]
        expect(one.toLowerCase() === two.toLowerCase()).toBe(given.name === other.name)
      }),
      { numRuns: 1000 },
    )
  })

  test.each([
    ['.yaml', '', 'a file with the name of a folder'],
    ['.', '', 'a folder whose name Windows changes'],
    ['', '.hidden', 'a hidden file'],
    ['', 'con', 'a device name of Windows'],
  ])('splits a long name at %j and %j without creating %s', (before, after) => {
    const start = `${'a'.repeat(200 - before.length)}${before}`
    const place = { group: '', resource: 'configmaps', namespace: 'default' }
    const long = manifestPath({ ...place, name: `${start}${after}${'b'.repeat(40)}` })
    const [folder = '', file = ''] = long.split('/').slice(-2)
    expect(folder).toBe(`${start}%-`)
    expect(file).toBe(`%-${after}${'b'.repeat(40)}.yaml`)
  })

  test('is not parsed from a path that it never returns', () => {
    for (const path of [
      'README.md',
      'a/core/configmaps/a.yml',
      'a/b.yaml',
      'a/core/configmaps/%61.yaml',
      'a/core/configmaps/A.yaml',
      'a/core/configmaps/x/y.yaml',
      'a/core/configmaps/x%-/%-y.yaml',
    ]) {
      expect(parseManifestPath(path), path).toBeUndefined()
    }
  })
})
