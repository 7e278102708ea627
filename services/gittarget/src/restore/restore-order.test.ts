import { expect, test } from 'vitest'
import { inRestoreOrder } from './restore-order.ts'

test('what others need comes first, and what intercepts requests last', () => {
  const names = [
    'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
    'apps/Deployment',
    'example.com/Widget',
    '/ConfigMap',
    'example.com/Namespace',
    'apiextensions.k8s.io/CustomResourceDefinition',
    '/ServiceAccount',
    '/Namespace',
  ]
  const objects = names.map((name) => {
    const [group = '', kind = ''] = name.split('/')
    return { identity: { group, kind, namespace: 'a', name: 'b' } }
  })
  const ordered = inRestoreOrder(objects).map(
    ({ identity }) => `${identity.group}/${identity.kind}`,
  )
  expect(ordered).toEqual([
    '/Namespace',
    'apiextensions.k8s.io/CustomResourceDefinition',
    '/ServiceAccount',
    '/ConfigMap',
    'apps/Deployment',
    'example.com/Namespace',
    'example.com/Widget',
    'admissionregistration.k8s.io/ValidatingWebhookConfiguration',
  ])
})
