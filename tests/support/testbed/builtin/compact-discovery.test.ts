import { expect, test } from 'vitest'
import { compactDiscovery, type DiscoveryList } from './compact-discovery.ts'

const own = { group: '', version: '' }
const verbs = ['get', 'list']

const list: DiscoveryList = {
  items: [
    {
      metadata: { name: 'apps' },
      versions: [
        {
          version: 'v1',
          resources: [
            {
              resource: 'deployments',
              responseKind: { ...own, kind: 'Deployment' },
              scope: 'Namespaced',
              singularResource: 'deployment',
              verbs,
              shortNames: ['deploy'],
              categories: ['all'],
              subresources: [
                {
                  subresource: 'scale',
                  responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
                  verbs: ['get'],
                },
                {
                  subresource: 'status',
                  responseKind: { ...own, kind: 'Deployment' },
                  verbs: ['get'],
                },
              ],
            },
          ],
        },
        { version: 'v2alpha1', resources: [] },
      ],
    },
  ],
}

test('a resource is one flat entry, and a foreign kind names its group version', () => {
  expect(compactDiscovery([list], ['apps/v1'])).toEqual({
    groupVersions: ['apps/v1'],
    resources: [
      {
        gv: 'apps/v1',
        resource: 'deployments',
        kind: 'Deployment',
        singular: 'deployment',
        scope: 'Namespaced',
        verbs,
        short: ['deploy'],
        categories: ['all'],
        sub: {
          scale: { kind: 'Scale', gv: 'autoscaling/v1', verbs: ['get'] },
          status: { kind: 'Deployment', verbs: ['get'] },
        },
      },
    ],
  })
})

test('a group version that the server does not have is an error', () => {
  expect(() => compactDiscovery([list], ['apps/v1', 'batch/v1'])).toThrow('batch/v1')
})
