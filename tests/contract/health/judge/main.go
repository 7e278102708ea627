// Command judge evaluates objects as deployment tools do: with kstatus, and with Lua as Argo CD runs it. It reads JSON
// lines of {"script": …, "object": …} and answers each with {"kstatus": …, "argo": …, "message": …}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kubejson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

type question struct {
	Script string          `json:"script"`
	Object json.RawMessage `json:"object"`
}

type answer struct {
	Kstatus string `json:"kstatus"`
	Argo    string `json:"argo"`
	Message string `json:"message"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 16<<20)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var asked question
		must(json.Unmarshal(in.Bytes(), &asked))
		var object map[string]any
		// Integers become int64, as everywhere in Kubernetes.
		must(kubejson.Unmarshal(asked.Object, &object))
		argo, message := judge(asked.Script, object)
		must(out.Encode(answer{Kstatus: conclude(object), Argo: argo, Message: message}))
	}
	must(in.Err())
}

func conclude(object map[string]any) string {
	result, err := status.Compute(&unstructured.Unstructured{Object: object})
	must(err)
	return result.Status.String()
}

// The same libraries as in Argo CD, without string, and the same time limit.
func judge(script string, object map[string]any) (string, string) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable,
	} {
		must(state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name)))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	state.SetContext(ctx)
	state.SetGlobal("obj", toLua(state, object))
	must(state.DoString(script))
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		must(fmt.Errorf("the script did not return a table"))
	}
	return lua.LVAsString(table.RawGetString("status")), lua.LVAsString(table.RawGetString("message"))
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case map[string]any:
		table := state.NewTable()
		for key, item := range value {
			table.RawSetString(key, toLua(state, item))
		}
		return table
	case []any:
		table := state.NewTable()
		for _, item := range value {
			table.Append(toLua(state, item))
		}
		return table
	case string:
		return lua.LString(value)
	case int64:
		return lua.LNumber(value)
	case float64:
		return lua.LNumber(value)
	case bool:
		return lua.LBool(value)
	}
	return lua.LNil
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
