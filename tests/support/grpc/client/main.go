// A gRPC client that is not ours: grpc-go, with messages made from our .proto files when it is started. It prints each answer as
// JSON, then a line with the status of the call. What TOKEN holds is sent as bearer. With an authority, it uses TLS.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/bufbuild/protocompile"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

func main() {
	address := flag.String("address", "", "host:port")
	folder := flag.String("protos", "", "where the .proto files are")
	file := flag.String("file", "", "the .proto file, below that")
	service := flag.String("service", "", "full name")
	method := flag.String("method", "", "name")
	request := flag.String("request", "{}", "in JSON")
	authority := flag.String("ca", "", "a file with the authority to trust, in PEM")
	compressed := flag.Bool("gzip", false, "compress what is sent")
	flag.Parse()

	called := find(*folder, *file, *service, *method)
	secured := insecure.NewCredentials()
	if *authority != "" {
		trusting, err := credentials.NewClientTLSFromFile(*authority, "")
		must(err)
		secured = trusting
	}
	connection, err := grpc.NewClient(*address, grpc.WithTransportCredentials(secured))
	must(err)
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if token := os.Getenv("TOKEN"); token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	var options []grpc.CallOption
	if *compressed {
		options = append(options, grpc.UseCompressor(gzip.Name))
	}
	asked := dynamicpb.NewMessage(called.Input())
	must(protojson.Unmarshal([]byte(*request), asked))
	err = call(ctx, connection, called, asked, options)
	said := status.Convert(err)
	must(json.NewEncoder(os.Stdout).Encode(map[string]string{"code": said.Code().String(), "message": said.Message()}))
}

func find(folder, file, service, method string) protoreflect.MethodDescriptor {
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(
		&protocompile.SourceResolver{ImportPaths: []string{folder}})}
	files, err := compiler.Compile(context.Background(), file)
	must(err)
	descriptor, err := files.AsResolver().FindDescriptorByName(protoreflect.FullName(service))
	must(err)
	return descriptor.(protoreflect.ServiceDescriptor).Methods().ByName(protoreflect.Name(method))
}

// Opens a stream for unary calls too: to grpc-go both are streams, and only the server's part differs.
func call(ctx context.Context, connection *grpc.ClientConn, called protoreflect.MethodDescriptor, asked *dynamicpb.Message, options []grpc.CallOption) error {
	path := fmt.Sprintf("/%s/%s", called.Parent().FullName(), called.Name())
	kind := &grpc.StreamDesc{ServerStreams: called.IsStreamingServer()}
	stream, err := connection.NewStream(ctx, kind, path, options...)
	if err != nil {
		return err
	}
	if err := stream.SendMsg(asked); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	for {
		answer := dynamicpb.NewMessage(called.Output())
		if err := stream.RecvMsg(answer); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		text, err := protojson.Marshal(answer)
		must(err)
		fmt.Println(string(text))
		if !called.IsStreamingServer() {
			return nil
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
