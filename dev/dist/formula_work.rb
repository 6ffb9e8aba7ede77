# Runs a formula as Homebrew does on Linux, for dev/dist/install: formula_work.rb FORMULA DIST PREFIX.
# What it names of the release is in DIST; its checksum must be that of the formula.
require "digest"
require "fileutils"
require "open3"
require "pathname"

class Pathname
  def install(*sources)
    mkpath
    sources.flatten.each { |source| FileUtils.cp_r(source, self) }
  end
end

module OS
  def self.mac? = false
end

class Formula
  class << self
    attr_reader :tested

    %i[desc homepage license depends_on on_macos].each { |name| define_method(name) { |*| nil } }
    %i[url sha256 version].each do |name|
      define_method(name) { |*value| value.empty? ? instance_variable_get("@#{name}") : instance_variable_set("@#{name}", value[0]) }
    end

    def on_linux = yield
    def on_intel = RUBY_PLATFORM.start_with?("x86_64") ? yield : nil
    def on_arm = RUBY_PLATFORM.start_with?("aarch64") ? yield : nil
    def test(&block) = @tested = block
  end

  attr_reader :testpath

  def initialize(prefix, testpath)
    @prefix, @testpath = prefix, testpath
  end

  { bin: "bin", man1: "share/man/man1", doc: "share/doc/pqseal", bash_completion: "etc/bash_completion.d",
    zsh_completion: "share/zsh/site-functions", fish_completion: "share/fish/vendor_completions.d" }.each do |name, folder|
    define_method(name) { @prefix/folder }
  end

  def system(*words) = Kernel.system(*words.map(&:to_s), out: File::NULL, err: File::NULL, exception: true)
  def shell_output(line) = pipe_output(line, nil)

  def pipe_output(line, input)
    output, status = Open3.capture2(line, stdin_data: input)
    status.success? ? output : raise("#{line}: #{status}")
  end

  def assert_equal(expected, found) = expected == found || raise("#{found.inspect} instead of #{expected.inspect}")
end

formula, dist, prefix = ARGV.map { |path| Pathname(path).expand_path }
load formula
archive = dist/File.basename(Pqseal.url)
Digest::SHA256.file(archive).hexdigest == Pqseal.sha256 or raise "another checksum than that of #{archive}"
raise Pqseal.url unless Pqseal.url.include?("/v#{Pqseal.version}/pqseal-#{Pqseal.version}-")
unpacked, testpath = [prefix/"unpacked", prefix/"test"].each(&:mkpath)
system("tar", "--extract", "--file=#{archive}", "--directory=#{unpacked}", "--strip-components=1", exception: true)
installed = Pqseal.new(prefix, testpath)
Dir.chdir(unpacked) { installed.install }
Dir.chdir(testpath) { installed.instance_eval(&Pqseal.tested) }
