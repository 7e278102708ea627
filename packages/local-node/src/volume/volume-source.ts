/** Volume sources that the local node supports. */
export interface VolumeSources {
  emptyDir?: { medium?: string }
  hostPath?: { path: string; type?: string }
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean }
  configMap?: ConfigMapSource & { defaultMode?: number }
  secret?: { secretName?: string; items?: KeyPath[]; optional?: boolean; defaultMode?: number }
  downwardAPI?: DownwardSource & { defaultMode?: number }
  projected?: { sources?: ProjectedSource[]; defaultMode?: number }
}

export interface ProjectedSource {
  configMap?: ConfigMapSource
  secret?: { name?: string; items?: KeyPath[]; optional?: boolean }
  downwardAPI?: DownwardSource
  serviceAccountToken?: { path: string; audience?: string; expirationSeconds?: number }
}

interface ConfigMapSource {
  name?: string
  items?: KeyPath[]
  optional?: boolean
}

export interface DownwardSource {
  items?: {
    path: string
    mode?: number
    fieldRef?: { fieldPath: string }
    resourceFieldRef?: { containerName?: string; resource: string; divisor?: string }
  }[]
}

export interface KeyPath {
  key: string
  path: string
  mode?: number
}
