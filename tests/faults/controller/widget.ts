import {
  Children,
  Controller,
  type ControllerOptions,
  fromInformer,
  gateReconcile,
  livingReconciler,
  type ObjectApi,
  objectApi,
  ownedSource,
  pass,
  type Reconciler,
  stepDone,
} from '@agents/controller'
import { defineKind, type ObjectOf, object, optional, statusObject, string } from '@agents/crd'
import {
  type ConfigMap,
  ConfigMapKind,
  type Informers,
  isNotFound,
  type KindRef,
  type KubeClient,
  kindRef,
} from '@agents/kube'
import type { Logger } from '@agents/log'
import { livingConditions } from '@agents/status'

/** A kind that requests a ConfigMap with its name and text; a finalizer deletes the ConfigMap with the widget. */
export const widget = defineKind({
  group: 'faults.example.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
  description: 'Wants a ConfigMap.',
  spec: object('What it wants.', { text: string('What the ConfigMap holds.') }),
  status: statusObject({ copied: optional(string('What it holds now.')) }),
  columns: [],
  summary: 'Ready',
})

export type Widget = ObjectOf<typeof widget>

export const WidgetKind: KindRef<Widget> = kindRef<Widget>(widget)

const finalizer = 'faults.example.dev/copy'

const conditions = livingConditions({
  gates: [
    {
      type: 'Copied',
      doc: { True: 'The ConfigMap holds the text.', False: 'It does not.' },
      reasons: { Copied: 'It does.' },
    },
  ],
})

interface WidgetControllerOptions
  extends Pick<ControllerOptions<Widget>, 'workers' | 'clock' | 'metrics'> {
  readonly client: KubeClient
  readonly informers: Informers
  readonly namespace: string
  readonly log: Logger
}

export function widgetController(options: WidgetControllerOptions): Controller<Widget> {
  const { client, informers, namespace, ...rest } = options
  const primary = informers.acquire(WidgetKind, { namespace })
  const copies = fromInformer(informers.acquire<ConfigMap>(ConfigMapKind, { namespace }))
  const children = new Children(objectApi(client, ConfigMapKind), copies)
  return new Controller({
    ...rest,
    kind: WidgetKind,
    primary: fromInformer(primary),
    sources: [ownedSource('copies', copies, WidgetKind)],
    reconcile: gateReconcile(widgetReconciler(client, children), {
      api: objectApi(client, WidgetKind) as ObjectApi<Widget>,
    }),
  })
}

function widgetReconciler(client: KubeClient, children: Children<ConfigMap>): Reconciler<Widget> {
  return livingReconciler({
    kind: 'Widget',
    conditions,
    finalize: {
      finalizer,
      steps: [
        {
          name: 'remove the copy',
          run: async ({ metadata: { namespace, name } }: Widget, { signal }) => {
            await client.delete(ConfigMapKind, { namespace, name }, { signal }).catch(ignoreGone)
            return stepDone
          },
        },
      ],
    },
    gates: [
      {
        condition: 'Copied',
        check: async (owner: Widget, _detail: { copied?: string }, { signal }) => {
          const { namespace = '', name } = owner.metadata
          const data = { text: owner.spec.text }
          const copy = { metadata: { namespace, name }, data }
          const change = (current: ConfigMap): ConfigMap => ({ ...current, data })
          await children.createOrUpdate(copy, owner, change, signal)
          return pass('Copied', `holds ${owner.spec.text}`, { detail: { copied: owner.spec.text } })
        },
      },
    ],
  })
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error
}
