# The formula of version @VERSION@ for Homebrew, from `dev/dist/build formula`.
class Pqseal < Formula
  desc "Hybrid Public Key Encryption for blobs, files and logs"
  homepage "https://github.com/pqseal/pqseal"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  # Programs are published for Linux; elsewhere they are built from the crate.
  on_macos do
    url "https://static.crates.io/crates/pqseal/pqseal-@VERSION@.crate"
    sha256 "@CRATE@"
    depends_on "rust" => :build
  end

  on_linux do
    on_intel do
      url "https://github.com/pqseal/pqseal/releases/download/v@VERSION@/pqseal-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@X86_64@"
    end
    on_arm do
      url "https://github.com/pqseal/pqseal/releases/download/v@VERSION@/pqseal-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@AARCH64@"
    end
  end

  def install
    if OS.mac?
      system "cargo", "install", *std_cargo_args, "--features", "@FEATURES@"
      system bin/"pqseal", "man", "--output", "man"
      man1.install Dir["man/*.1"]
      generate_completions_from_executable(bin/"pqseal", "completions")
    else
      bin.install Dir["bin/*"]
      man1.install Dir["share/man/man1/*.1"]
      bash_completion.install "share/bash-completion/completions/pqseal"
      zsh_completion.install "share/zsh/vendor-completions/_pqseal"
      fish_completion.install "share/fish/vendor_completions.d/pqseal.fish"
      doc.install Dir["share/doc/pqseal/*"]
    end
  end

  test do
    system bin/"pqseal", "keygen", "-o", "key.pem"
    public_key = shell_output("#{bin}/pqseal pubkey key.pem")
    (testpath/"public.txt").write public_key
    sealed = pipe_output("#{bin}/pqseal seal --to public.txt", "hello")
    assert_equal "hello", pipe_output("#{bin}/pqseal open -k key.pem", sealed)
  end
end
