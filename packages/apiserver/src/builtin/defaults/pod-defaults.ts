import { isJsonObject } from '../../json/json-value.ts'
import { type Fields, fallBack, number, part, parts, text } from '../fields.ts'
import type { SetDefaults } from '../go-json/defaults.ts'
import { pullPolicyOf } from './image-tag.ts'

/** Defaults of pods and pod templates, by id of the definition. */
export const podDefaults: Readonly<Record<string, SetDefaults>> = {
  'core.v1.Pod': (pod) => {
    const spec = part(pod, 'spec')
    for (const container of [...parts(spec, 'containers'), ...parts(spec, 'initContainers')]) {
      requestLimits(part(container, 'resources'))
      if (spec.hostNetwork === true) exposeOnHost(container)
    }
    fallBack(spec, { enableServiceLinks: true })
    // Validation rejects it in a template.
    if ((number(spec, 'terminationGracePeriodSeconds') ?? 0) < 0) {
      spec.terminationGracePeriodSeconds = 1
    }
  },
  'core.v1.PodSpec': (spec) => {
    fallBack(spec, {
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    })
    // The field is also written under its deprecated name.
    const account = text(spec, 'serviceAccountName') || text(spec, 'serviceAccount')
    if (account !== '')
      Object.assign(spec, { serviceAccountName: account, serviceAccount: account })
    if (spec.hostNetwork === true) {
      for (const container of [...parts(spec, 'containers'), ...parts(spec, 'initContainers')]) {
        exposeOnHost(container)
      }
    }
  },
  'core.v1.Container': containerDefaults,
  'core.v1.EphemeralContainer': containerDefaults,
  'core.v1.Volume': (volume) => {
    if (Object.keys(volume).every((key) => key === 'name')) volume.emptyDir = {}
    const image = part(volume, 'image')
    if (volume.image !== undefined) {
      fallBack(image, { pullPolicy: pullPolicyOf(text(image, 'reference')) })
    }
  },
  'core.v1.Probe': (probe) => {
    fallBack(probe, {
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    })
  },
  'core.v1.HTTPGetAction': (action) => fallBack(action, { path: '/', scheme: 'HTTP' }),
  'core.v1.GRPCAction': (action) => {
    action.service ??= ''
  },
  'core.v1.ContainerPort': (port) => fallBack(port, { protocol: 'TCP' }),
  'core.v1.ObjectFieldSelector': (selector) => fallBack(selector, { apiVersion: 'v1' }),
  'core.v1.SecretVolumeSource': modeDefault,
  'core.v1.ConfigMapVolumeSource': modeDefault,
  'core.v1.DownwardAPIVolumeSource': modeDefault,
  'core.v1.ProjectedVolumeSource': modeDefault,
  'core.v1.ServiceAccountTokenProjection': (source) =>
    fallBack(source, { expirationSeconds: 3600 }),
  'core.v1.HostPathVolumeSource': (source) => {
    source.type ??= ''
  },
  'core.v1.ISCSIVolumeSource': (source) => fallBack(source, { iscsiInterface: 'default' }),
  'core.v1.RBDVolumeSource': (source) =>
    fallBack(source, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  'core.v1.AzureDiskVolumeSource': (source) =>
    fallBack(source, {
      cachingMode: 'ReadWrite',
      fsType: 'ext4',
      readOnly: false,
      kind: 'Shared',
    }),
}

function containerDefaults(container: Fields): void {
  fallBack(container, {
    imagePullPolicy: pullPolicyOf(text(container, 'image')),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  })
}

function modeDefault(source: Fields): void {
  fallBack(source, { defaultMode: 0o644 })
}

/** Requests default to limits. */
function requestLimits(resources: Fields): void {
  const { limits } = resources
  if (!isJsonObject(limits)) return
  const requests = isJsonObject(resources.requests) ? resources.requests : {}
  for (const [name, amount] of Object.entries(limits)) requests[name] ??= amount
  if (Object.keys(requests).length > 0) resources.requests = requests
}

function exposeOnHost(container: Fields): void {
  for (const port of parts(container, 'ports')) {
    if (port.hostPort === undefined) port.hostPort = port.containerPort
  }
}
