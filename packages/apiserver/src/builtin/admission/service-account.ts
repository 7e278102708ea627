import { generateName } from '../../metadata/generate-name.ts'
import type { AdmissionAttributes } from '../../rest/admission.ts'
import { forbidden } from '../../status/api-error.ts'
import type { Store } from '../../store/store.ts'
import { type Fields, ownPart, parts, text } from '../fields.ts'
import type { BuiltinObject } from '../strategy/kind-rules.ts'

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Sets the service account of a pod and mounts its token into the containers. */
export function serviceAccountAdmission(
  store: Store,
): (pod: BuiltinObject, attributes: AdmissionAttributes) => void {
  return (pod, { resource, namespace, name }) => {
    const spec = ownPart(pod, 'spec')
    // Mirror pods of static pods have no service account.
    if (pod.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) return
    const account = text(spec, 'serviceAccountName') || 'default'
    spec.serviceAccountName = account
    spec.serviceAccount = account
    const found = store.get(`/core/serviceaccounts/${namespace}/${account}`)?.value
    if (found === undefined) {
      throw forbidden(
        resource,
        name,
        `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`,
      )
    }
    const stored = found as BuiltinObject
    if (mountsToken(spec, stored)) mountToken(spec)
    if (parts(spec, 'imagePullSecrets').length === 0) {
      const secrets = parts(stored, 'imagePullSecrets')
      if (secrets.length > 0) spec.imagePullSecrets = structuredClone(secrets)
    }
  }
}

function mountsToken(spec: Fields, account: BuiltinObject): boolean {
  if (spec.automountServiceAccountToken !== undefined) {
    return spec.automountServiceAccountToken === true
  }
  return account.automountServiceAccountToken !== false
}

function mountToken(spec: Fields): void {
  const volumes = parts(spec, 'volumes')
  const given = volumes.find((volume) => text(volume, 'name').startsWith('kube-api-access-'))
  const volumeName = given === undefined ? generateName('kube-api-access-') : text(given, 'name')
  let mounted = false
  for (const container of [...parts(spec, 'initContainers'), ...parts(spec, 'containers')]) {
    const mounts = parts(container, 'volumeMounts')
    if (mounts.some((mount) => text(mount, 'mountPath') === mountPath)) continue
    container.volumeMounts = [...mounts, { name: volumeName, readOnly: true, mountPath }]
    mounted = true
  }
  if (mounted && given === undefined) spec.volumes = [...volumes, tokenVolume(volumeName)]
}

/** Like kube-apiserver, a little more than an hour, so that injected tokens differ from requested ones. */
function tokenVolume(name: string): Fields {
  const namespace = {
    path: 'namespace',
    fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' },
  }
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [namespace] } },
      ],
    },
  }
}
