export { ContainerEngine, type EngineName } from './container/engine/engine.ts'
export { createPodLogs } from './logs/pod-logs.ts'
export { type LocalNode, type LocalNodeOptions, startLocalNode } from './start-local-node.ts'
export { latePodStreams } from './streams/late-streams.ts'
