export {
  type ControlPlaneConfig,
  controlPlane,
  controlPlaneRules,
} from './config/control-plane.ts'
export { type ControllersConfig, controllers, controllersRules } from './config/controllers.ts'
