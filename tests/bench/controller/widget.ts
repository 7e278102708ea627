import { livingReconciler, pass, type Reconciler } from '@agents/controller'
import { defineKind, type ObjectOf, object, optional, statusObject, string } from '@agents/crd'
import { type KindRef, kindRef } from '@agents/kube'
import { livingConditions } from '@agents/status'

/** About one kilobyte, as most custom resources are. */
export const widget = defineKind({
  group: 'bench.example.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  description: 'Says who looked at it.',
  spec: object('What is in it.', { text: string('Some text.') }),
  status: statusObject({ writer: optional(string('Who wrote this.')) }),
  columns: [],
  summary: 'Ready',
})

type Widget = ObjectOf<typeof widget>

export const WidgetKind: KindRef<Widget> = kindRef<Widget>(widget)

export function newWidget(namespace: string, name: string) {
  const labels = { app: 'bench', team: 'measurement' }
  return { metadata: { namespace, name, labels }, spec: { text: 'x'.repeat(500) } }
}

const conditions = livingConditions({
  gates: [
    {
      type: 'Copied',
      doc: { True: 'It was looked at.', False: 'It was not.' },
      reasons: { OK: 'It was.' },
    },
  ],
})

/** One gate that always passes: two conditions, and at most one guarded patch. */
export function widgetReconciler(writer: string): Reconciler<Widget> {
  return livingReconciler({
    kind: 'Widget',
    conditions,
    gates: [
      {
        condition: 'Copied',
        check: (_widget: Widget, _detail: { writer?: string }) =>
          pass('OK', 'every gate is True', { detail: { writer } }),
      },
    ],
  })
}
