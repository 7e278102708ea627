import type { Json } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import type { ApiRequest } from './api-client.ts'
import type { Subject } from './subject.ts'

export type Step =
  | {
      readonly do: 'apply'
      readonly manager: string
      readonly force?: boolean
      readonly status?: boolean
      readonly body: Body
    }
  | { readonly do: 'create' | 'replace'; readonly manager: string; readonly body: Body }
  | {
      readonly do: 'merge'
      readonly manager: string
      readonly status?: boolean
      readonly body: Body
    }
  | { readonly do: 'managed'; readonly manager: string; readonly entries: Json }

export type Body = { readonly [key: string]: Json }

/** The step as a request for the object with this name; `live` is its current state on the server. */
export function stepRequest(
  step: Step,
  subject: Subject,
  name: string,
  live: KubeObject | undefined,
): ApiRequest {
  const { path } = subject
  const query = `fieldManager=${encodeURIComponent(step.manager)}`
  const suffix = 'status' in step && step.status === true ? '/status' : ''
  const target = `${path}/${name}${suffix}?${query}`
  const mergePatch = {
    method: 'PATCH',
    path: target,
    contentType: 'application/merge-patch+json',
  } as const
  switch (step.do) {
    case 'apply':
      return {
        method: 'PATCH',
        path: `${target}&force=${step.force === true}`,
        contentType: 'application/apply-patch+yaml',
        body: objectOf(step.body, subject, name),
      }
    case 'create':
      return { method: 'POST', path: `${path}?${query}`, body: objectOf(step.body, subject, name) }
    case 'replace': {
      const object = objectOf(step.body, subject, name)
      const resourceVersion = live?.metadata.resourceVersion ?? ''
      return {
        method: 'PUT',
        path: target,
        body: { ...object, metadata: { ...(object.metadata as Body), resourceVersion } },
      }
    }
    case 'merge':
      return { ...mergePatch, body: step.body }
    case 'managed':
      return { ...mergePatch, body: { metadata: { managedFields: step.entries } } }
  }
}

export function objectOf(body: Body, subject: Subject, name: string): { [key: string]: Json } {
  const metadata = { ...(body.metadata as Body | undefined), name, namespace: 'default' }
  return { apiVersion: apiVersionOf(subject), kind: subject.resource.kind, ...body, metadata }
}

export function apiVersionOf({ resource: { group, version } }: Subject): string {
  return group === '' ? version : `${group}/${version}`
}
