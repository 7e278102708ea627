import type { Scenario } from '../scenario.ts'
import { applyClientSide, applyMigration, applyServerSide, customResources } from './apply.ts'
import { access, discovering, nodes } from './ask.ts'
import { certificates } from './certificates.ts'
import { editing, labelling, patching, scaling } from './change.ts'
import { attaching, copying, executing, forwardingPorts, registeredNode } from './connect.ts'
import { createAccess, createNetwork, createSimple, createTls, createWorkloads } from './create.ts'
import { lists, unknownKinds } from './lists.ts'
import { deleting, followingLogs, getting, logging, waiting, watching } from './look.ts'

export const scenarios: readonly Scenario[] = [
  createSimple,
  createTls,
  createAccess,
  createWorkloads,
  createNetwork,
  applyClientSide,
  applyServerSide,
  applyMigration,
  customResources,
  lists,
  unknownKinds,
  patching,
  labelling,
  editing,
  scaling,
  getting,
  watching,
  waiting,
  deleting,
  logging,
  followingLogs,
  executing,
  attaching,
  forwardingPorts,
  copying,
  registeredNode,
  discovering,
  access,
  certificates,
  nodes,
]
